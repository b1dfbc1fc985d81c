/// What is wanted: where an image comes from, what it depicts, and how large it will be shown.
public struct ImageRequest {}
