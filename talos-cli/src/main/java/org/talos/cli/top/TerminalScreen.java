// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.top;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;

/**
 * The terminal as a screen that is drawn as a whole, and whose keys arrive without Enter. Uses {@code stty}, which
 * exists wherever {@code bin/talos} runs, and the escape sequences of all current terminals. {@link #close} restores
 * the earlier contents of the terminal. A signal that ends the process does the same.
 *
 * <p>Confined: the main thread; {@link #close} is thread-safe.
 */
final class TerminalScreen implements AutoCloseable {
    private static final File TERMINAL = new File("/dev/tty");
    private static final String ENTER = "\033[?1049h\033[?25l"; // another screen, without a cursor
    private static final String LEAVE = "\033[?25h\033[?1049l";
    private static final String HOME = "\033[H";
    private static final String END_OF_LINE = "\033[K";
    private static final String END_OF_SCREEN = "\033[J";
    private static final Pattern SIZE = Pattern.compile("(\\d{1,4}) (\\d{1,4})");
    private static final int STTY_SECONDS = 5;
    private static final int ESCAPE = 27;
    private static final int LONGEST_SEQUENCE = 6;
    private static final long SHORTEST_WAIT_NANOS = 20_000_000;
    private static final int MOST_EMPTY_READS = 100;

    private final CommandContext context;
    private final PrintWriter err;
    private final LongSupplier nanos;
    private final String settings;
    private final AtomicBoolean closed = new AtomicBoolean();
    private int emptyReads;

    @GuardedBy("this")
    private boolean left;

    /** Columns and lines. Immutable. */
    record Size(int width, int lines) {
        private static final Size USUAL = new Size(80, 24);
    }

    private TerminalScreen(CommandContext context, PrintWriter err, LongSupplier nanos, String settings) {
        this.context = context;
        this.err = err;
        this.nanos = nanos;
        this.settings = settings;
    }

    /**
     * Takes the terminal.
     *
     * @param hook runs something before the process ends, whatever ends it
     */
    static TerminalScreen open(CommandContext context, PrintWriter err, LongSupplier nanos, Hook hook)
            throws CommandException, IOException {
        TerminalScreen screen =
                new TerminalScreen(context, err, nanos, stty("-g").strip());
        hook.beforeEnd(screen::close);
        try {
            // A read returns after a tenth of a second without a key. Ctrl-Z would leave the terminal like this.
            var unused = stty("-icanon", "-echo", "min", "0", "time", "1", "susp", "undef");
            context.print(ENTER);
        } catch (CommandException | IOException e) {
            screen.close();
            throw e;
        }
        return screen;
    }

    /** Registers a task to run before the process ends. */
    interface Hook {
        void beforeEnd(Runnable task);
    }

    /** Returns the size that the terminal has now; of one that does not tell, the usual one. */
    Size size() throws CommandException {
        Matcher size = SIZE.matcher(stty("size").strip());
        if (!size.matches() || size.group(1).equals("0") || size.group(2).equals("0")) {
            return Size.USUAL;
        }
        return new Size(Integer.parseInt(size.group(2)), Integer.parseInt(size.group(1)));
    }

    /** Draws the whole screen; nothing once it was given back, as at a signal that comes in between. */
    synchronized void draw(List<String> lines) throws IOException {
        if (!left) {
            context.print(HOME + String.join(END_OF_LINE + "\r\n", lines) + END_OF_LINE + END_OF_SCREEN);
        }
    }

    /** Returns the next key; waits a tenth of a second for one. Of a terminal that has gone, the one that quits. */
    Key key() throws IOException {
        InputStream in = context.in();
        long begun = nanos.getAsLong();
        int read = in.read();
        if (read < 0) {
            boolean waited = nanos.getAsLong() - begun > SHORTEST_WAIT_NANOS;
            emptyReads = waited ? 0 : emptyReads + 1;
            return emptyReads > MOST_EMPTY_READS ? Key.QUIT : Key.NONE;
        }
        emptyReads = 0;
        return read == ESCAPE ? sequence(in) : Key.of(read);
    }

    private static Key sequence(InputStream in) throws IOException {
        int introducer = in.read();
        if (introducer != '[' && introducer != 'O') {
            return Key.NONE;
        }
        StringBuilder sequence = new StringBuilder();
        for (int read = in.read(); read >= 0 && sequence.length() < LONGEST_SEQUENCE; read = in.read()) {
            sequence.append((char) read);
            if (read >= '@') { // the last one of each sequence, and of each key that is pressed
                break;
            }
        }
        return Key.ofSequence(sequence.toString());
    }

    private static String stty(String... arguments) throws CommandException {
        List<String> command = new ArrayList<>(List.of("stty"));
        command.addAll(List.of(arguments));
        try {
            Process stty = new ProcessBuilder(command)
                    .redirectInput(TERMINAL)
                    .redirectErrorStream(true)
                    .start();
            String said = new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!stty.waitFor(STTY_SECONDS, TimeUnit.SECONDS) || stty.exitValue() != 0) {
                throw new CommandException("the terminal cannot be set: " + said.strip());
            }
            return said;
        } catch (IOException e) {
            throw new CommandException("the terminal cannot be set: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted", e);
        }
    }

    /** Gives the terminal back as it was; may be repeated. */
    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        try {
            leave();
        } catch (CommandException | IOException e) {
            err.println("talos: the terminal is not as it was, type reset: " + e.getMessage());
            err.flush();
        }
    }

    private void leave() throws CommandException, IOException {
        try {
            leaveScreen();
        } finally { // also where it is not visible any more
            var unused = stty(settings);
        }
    }

    private synchronized void leaveScreen() throws IOException {
        left = true;
        context.print(LEAVE);
    }
}
