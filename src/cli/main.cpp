// tenure: the command line. One file a subcommand; this one only dispatches.
int main() {}
