"""What the controller leaves on Nodes and NodeReports beside their conditions, and how it is written."""
