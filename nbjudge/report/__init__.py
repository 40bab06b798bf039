"""What people see of a grading: pages, tables, explanations and exports."""
