"""The backgrounds on which a drawing's colours must stand out."""

#: The site's page in light and dark mode, and JupyterLab's dark notebook.
PAGES = {"light": "#ffffff", "dark": "#14181e", "jupyterlab-dark": "#111111"}
