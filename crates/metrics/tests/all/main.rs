//! What is exposed of a run: the text, the protobuf and the JSON say the same, and the dashboard asks for nothing else.

mod dashboard;
mod forms;
