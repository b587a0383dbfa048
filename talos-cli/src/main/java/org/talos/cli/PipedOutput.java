// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Standard output that another program may read. It knows when that program has ended, because a failure is then of no
 * use.
 *
 * <p>Confined: the main thread.
 */
final class PipedOutput extends FilterOutputStream {
    /**
     * The system's message, since Java has no exception for this case. In another language, it is an ordinary failure.
     */
    private static final String BROKEN_PIPE = "Broken pipe";

    private PipedOutput(OutputStream out) {
        super(out);
    }

    static OutputStream of(OutputStream out) {
        return out instanceof PipedOutput ? out : new PipedOutput(out);
    }

    /** The program that read the output has ended. Immutable. */
    static final class ReaderGoneException extends IOException {
        private ReaderGoneException(IOException cause) {
            super("nobody reads the output any more", cause);
        }
    }

    /** The output cannot be written, as on a full disk. Immutable. */
    static final class OutputFailedException extends IOException {
        private OutputFailedException(IOException cause) {
            super(cause.getMessage(), cause);
        }
    }

    /** A step of writing. */
    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    private static void tell(Step step) throws IOException {
        try {
            step.run();
        } catch (ReaderGoneException | OutputFailedException e) {
            throw e; // thrown by another such output inside this one
        } catch (IOException e) {
            throw BROKEN_PIPE.equals(e.getMessage()) ? new ReaderGoneException(e) : new OutputFailedException(e);
        }
    }

    @Override
    public void write(int each) throws IOException {
        tell(() -> out.write(each));
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        tell(() -> out.write(bytes, from, length));
    }

    @Override
    public void flush() throws IOException {
        tell(out::flush);
    }
}
