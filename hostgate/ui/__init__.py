"""What hostgate shows: lines, the prompt, tables, JSON. Nothing here decides."""
