"""What a network looks like as a whole: figures, a layout, what two networks have in common."""
