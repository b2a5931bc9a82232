# From the output of `keydebounce --experimental-dump-help` to mdoc(7), up to and including the commands.

# A line that begins so would be a request.
def escaped:
  gsub("\\\\"; "\\e") | split("\n")
  | map(if startswith(".") or startswith("'") then "\\&" + . else . end) | join("\n");

# Paragraphs. Lines that are indented stay as they are: examples.
def paragraphs:
  split("\n\n")
  | map(
      if startswith("  ") then
        ".Bd -literal -offset indent\n" + (split("\n") | map(ltrimstr("  ") | escaped) | join("\n"))
        + "\n.Ed"
      else escaped end)
  | join("\n.Pp\n");

# What stands before other options of its kind: two hyphens, or one.
def flags: map(if .kind == "short" then "Fl " + .name else "Fl -" + .name end);

def value: if .valueName == null or .kind == "flag" then "" else "Ar " + .valueName end;
def dots: if .isRepeating then " ..." else "" end;

def synopsis:
  (if .kind == "positional" then value
   elif .kind == "flag" then .names | flags | join(" | ")
   else ([.preferredName] | flags[0]) + " " + value end)
  | rtrimstr(" ");

def item:
  ".It "
  + (if .kind == "positional" then value + dots
     else ((.names | flags | join(" , ")) + " " + value | rtrimstr(" ")) + dots end);

# What each command has, and is shown once.
def own:
  map(select(.shouldDisplay
    and (.kind == "positional" or (.names | map(.name)) - ["help", "h", "version"] != [])));

# A flag and its opposite, which have the same description, are one thing.
def paired:
  reduce .[] as $one ([];
    if $one.kind == "flag" and .[-1].abstract == $one.abstract then .[-1].names += $one.names
    else . + [$one] end);

def arguments:
  if length == 0 then empty
  else ".Bl -tag -width Ds",
    (.[] | item, ([.abstract, .discussion] | map(select(. != null) | paragraphs) | join("\n.Pp\n"))),
    ".El"
  end;

.command as $root
| ([$root.subcommands[] | select(.commandName != "help" and .shouldDisplay != false)]) as $commands
| ".\\\" Made by packaging/manual; do not edit.",
  ".Dd \($date)", ".Dt KEYDEBOUNCE 1", ".Os \"keydebounce \($version)\"",
  ".Sh NAME", ".Nm keydebounce",
  ".Nd \($root.abstract | rtrimstr(".") | (.[:1] | ascii_downcase) + .[1:])",
  ".Sh SYNOPSIS",
  ($commands[]
    | ".Nm", ".Cm \(.commandName)",
      (.arguments // [] | own | paired[]
        | (if .isOptional then ".Op " else "." end) + synopsis + dots)),
  ".Nm", ".Op Fl -help", ".Op Fl -version",
  ".Sh DESCRIPTION",
  ($root.discussion | paragraphs),
  ".Pp", "The option", ".Fl -help", "says of each command what it does, and which options it has.",
  ".Sh COMMANDS",
  ($commands[]
    | ".Ss \($root.commandName) \(.commandName)",
      ([.abstract, .discussion] | map(select(. != null) | paragraphs) | join("\n.Pp\n")),
      (.arguments // [] | own | paired | arguments))
