# Draws the picture of the strategies from the tables that “score” wrote: gnuplot -c picture.gnuplot FOLDER PICTURE
#
#   curves.tsv     a block for each family, after a line with its name: presses lost of 1000, chatter missed in percent, the
#                  point's number, whether every release waits, whether it is the default
#   questions.tsv  a line for each question, and a column for each rule, the default last: percent, or milliseconds
#   trials.tsv     a line for each trial, and for each rule and poll its figures, and whether these beat the default's
curves = ARG1 . "/curves.tsv"
questions = ARG1 . "/questions.tsv"
trials = ARG1 . "/trials.tsv"
set datafile separator tab
set encoding utf8

stats curves using 1 nooutput
families = STATS_blocks
stats questions using 2 skip 1 nooutput
asked = STATS_records
rules = STATS_columns - 1
stats trials using 3 skip 1 nooutput
tried = STATS_records
cells = (STATS_columns - 1) / 2

# In pixels. A title stands above each of the three parts, and an axis below.
width = 920.0
row = 18
top2 = 620
top3 = top2 + 160 + row * asked
height = top3 + 70 + row * tried
across(x) = x / width
down(y) = 1 - y / real(height)

# Grey is what others do. Readers with dark pages get lighter colours, which gnuplot cannot know of.
array colour[7] = ["#818b98", "#59636e", "#9a6700", "#bc4c00", "#1a7f37", "#bf8700", "#0969da"]
dark = "@media(prefers-color-scheme:dark){" \
  . "rect[fill=\"#ffffff\"]{fill:#0d1117}g[fill=\"black\"]{fill:#f0f6fc}[stroke=\"black\"]{stroke:#9198a1}" \
  . "[fill=\"rgb(26,127,55)\"]{fill:#3fb950}[fill=\"rgb(9,105,218)\"]{fill:#58a6ff}" \
  . "[fill=\"rgb(188,76,0)\"]{fill:#f0883e}[fill=\"rgb(89,99,110)\"]{fill:#b1bac4}" \
  . "[stroke=\"rgb(209,217,224)\"]{stroke:#2f353d}}"
set terminal svg size width, height dynamic background "#ffffff" font "system-ui,Segoe UI,Helvetica,Arial,sans-serif,12"
set output "| sed -e 's|= *\"|=\"|g' -e \"s/rgb( *\\([0-9]*\\), *\\([0-9]*\\), *\\([0-9]*\\))/rgb(\\1,\\2,\\3)/g\" " \
  . "-e 's|<title>.*</title>|<title>What each strategy costs and cures</title>|' " \
  . "-e 's|<desc>|<style>" . dark . "</style><desc>|' > " . ARG2

set multiplot
set border 0
set tics scale 0
set grid linetype 1 linecolor rgb "#d1d9e0" linewidth 0.7
set rmargin at screen across(896)
set logscale x
clipped(x, low) = x < low ? low : x

# What each strategy costs and cures
set label 1 "What each strategy costs and cures" at screen across(76), down(26) font ",16"
set label 2 "Lower and further left is better. Numbers at the points are milliseconds. Where points are hollow, every release waits." \
  at screen across(76), down(49)
set label 3 "aim" at 0.021, 0.57
set lmargin at screen across(76)
set tmargin at screen down(84)
set bmargin at screen down(500)
set logscale y
set xrange [0.02:6]
set yrange [0.5:100]
set xtics ("≤ 0.02" 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)
set ytics ("0.5 %%" 0.5, "1 %%" 1, "2 %%" 2, "5 %%" 5, "10 %%" 10, "20 %%" 20, "50 %%" 50, "100 %%" 100)
set xlabel "genuine presses lost, of 1000"
set ylabel "chatter missed"
set object 1 rectangle from 0.02, 0.5 to 0.1, 2 fillcolor rgb "#1a7f37" fillstyle transparent solid 0.1 noborder
set key at screen across(890), down(555) horizontal samplen 0.5
plot for [i = 1:families] curves index i - 1 skip 1 using (clipped($1, 0.02)):(clipped($2, 0.5)) \
    with lines linecolor rgb colour[i] linewidth 2 notitle, \
  for [i = 1:families] curves index i - 1 using (clipped($1, 0.02)):(clipped($2, 0.5)) \
    with points pointtype 7 pointsize 0.6 linecolor rgb colour[i] title columnheader(1), \
  for [i = 1:families] curves index i - 1 using (clipped($1, 0.02)):($4 > 0 ? clipped($2, 0.5) : NaN) \
    with points pointtype 7 pointsize 0.3 linecolor rgb "#ffffff" notitle, \
  curves using (clipped($1, 0.02)):($5 > 0 ? clipped($2, 0.5) : NaN) \
    with points pointtype 6 pointsize 1.2 linewidth 2 linecolor rgb colour[families] notitle, \
  for [i = 1:families] curves index i - 1 using (clipped($1, 0.02)):(clipped($2, 0.5)):3 \
    with labels left offset 0.8, 0.5 textcolor rgb colour[i] font ",10" notitle

# What else hands and machines do
unset label
unset object
unset ylabel
unset logscale y
unset ytics
set ytics scale 0
set label 1 "What else hands and machines do" at screen across(76), down(top2) font ",16"
set lmargin at screen across(400)
set tmargin at screen down(top2 + 40)
set bmargin at screen down(top2 + 40 + row * asked)
set key at screen across(890), down(top2 + 95 + row * asked)
set xrange [0.001:100]
set yrange [asked - 0.5:-0.5]
set xtics ("≤ 0.001" 0.001, 0.01, 0.1, 1, 10, 100)
set xlabel "percent, or milliseconds"
array dot[4] = [colour[1], colour[2], colour[5], colour[7]]
plot for [i = 1:rules] questions using (clipped(column(i + 1), 0.001)):0:ytic(1) \
  with points pointtype (i == rules ? 6 : 7) pointsize (i == rules ? 1 : 0.6) linewidth 2 linecolor rgb dot[i] title columnheader(i + 1)

# What wears far, and games
unset logscale
unset xlabel
unset xtics
unset key
unset grid
set label 1 "What wears far, and games" at screen across(76), down(top3) font ",16"
set label 2 "Faults that came through, % · presses lost, of 1000; polled every 1 and 8 ms. What is green beats the default." \
  at screen across(76), down(top3 + 22)
set tmargin at screen down(top3 + 40)
set bmargin at screen down(top3 + 40 + row * (tried + 1))
set xrange [0:cells]
# With the titles of the columns.
set yrange [tried - 0.5:-1.5]
set ytics font ",11"
shade(isBetter) = isBetter > 0 ? 0x1a7f37 : 0x59636e
plot for [i = 0:cells - 1] trials skip 1 using (i + 0.5):0:(strcol(2 * i + 2)):(shade(column(2 * i + 3))):ytic(1) \
    with labels textcolor rgb variable font ",10", \
  for [i = 0:cells - 1] trials every ::0::0 using (i + 0.5):(-1):(strcol(2 * i + 2)) with labels font ",9"
unset multiplot
