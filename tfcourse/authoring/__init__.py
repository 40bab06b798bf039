"""For those who write and build the course: run chapters, build the site, show what is here."""
