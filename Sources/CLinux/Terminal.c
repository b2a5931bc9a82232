#include "CLinux.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGSYS};
enum { COUNT = sizeof crashes / sizeof *crashes };

static struct {
  int input, output;
  struct termios state;
  const char *text;
  size_t length;
  struct sigaction before[COUNT];
  volatile sig_atomic_t is_set;
} terminal;

// Calls only what a handler may call.
static void crashed(int number) {
  if (terminal.is_set) {
    terminal.is_set = 0;
    ssize_t written = write(terminal.output, terminal.text, terminal.length);
    (void)written;
    tcsetattr(terminal.input, TCSANOW, &terminal.state);
  }
  // The handler is reset: this ends the process as without it.
  raise(number);
}

void clinux_restore_terminal_in_crash(int input, int output, const struct termios *state, const char *text) {
  // A stack that has run over has no room for the handler.
  static char stack[16384];
  static char copy[128];
  if (terminal.is_set) clinux_leave_terminal_in_crash();
  strncpy(copy, text, sizeof copy - 1);
  terminal.input = input;
  terminal.output = output;
  terminal.state = *state;
  terminal.text = copy;
  terminal.length = strlen(copy);
  const stack_t room = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&room, NULL);
  struct sigaction action = {.sa_handler = crashed, .sa_flags = (int)SA_RESETHAND | SA_ONSTACK | SA_NODEFER};
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < COUNT; i++) sigaction(crashes[i], &action, &terminal.before[i]);
  terminal.is_set = 1;
}

void clinux_leave_terminal_in_crash(void) {
  if (!terminal.is_set) return;
  terminal.is_set = 0;
  for (int i = 0; i < COUNT; i++) sigaction(crashes[i], &terminal.before[i], NULL);
}
