"""What makes releases and the documentation site. None of it is part of the package."""
