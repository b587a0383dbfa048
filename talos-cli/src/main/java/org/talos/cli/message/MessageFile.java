// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.message;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.talos.cli.CommandException;

/** A file that is put as one message, and is not read further than a message may be long. Immutable. */
public record MessageFile(Path path) {
    /**
     * Refuses a file that is known to be too large before it is read. The size of a pipe is unknown.
     *
     * @param most bytes of a message
     */
    public void refuseIfTooLarge(int most) throws CommandException {
        if (Files.isRegularFile(path)) {
            long bytes = size();
            if (bytes > most) {
                throw tooLarge(bytes + " bytes", most);
            }
        }
    }

    /** Returns its bytes; 0 for anything but a file, such as a pipe. */
    public long bytes() throws CommandException {
        return Files.isRegularFile(path) ? size() : 0;
    }

    private long size() throws CommandException {
        try {
            return Files.size(path);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /**
     * Returns its contents.
     *
     * @param most bytes of a message
     */
    public byte[] read(int most) throws CommandException {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(path)) {
            bytes = in.readNBytes(most + 1);
        } catch (IOException e) {
            throw unreadable(e);
        }
        if (bytes.length > most) {
            throw tooLarge("more than " + most + " bytes", most);
        }
        return bytes;
    }

    private CommandException unreadable(IOException cause) {
        String why = cause instanceof NoSuchFileException ? "does not exist" : "cannot be read";
        return new CommandException("file " + path + " " + (Files.isDirectory(path) ? "is a folder" : why), cause);
    }

    private CommandException tooLarge(String found, int most) {
        return new CommandException("file " + path + " has " + found + " (expected: " + most
                + " at most, which this command's memory allows for a message, or less by the server's"
                + " http.maxBodyBytes; put its lines from standard input, or split it)");
    }
}
