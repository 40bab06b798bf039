"""What comes in: problem sets, a class's folders and rules, and what learners hand in."""
