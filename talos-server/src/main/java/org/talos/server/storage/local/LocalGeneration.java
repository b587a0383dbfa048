// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.talos.common.error.Effect;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.StoredFile;

/**
 * The number beside the logs of a directory that identifies an earlier copy of them: it grows when a server opens them
 * and when it has closed them. The text {@code talos generation 1}, a space, the number and a line feed.
 *
 * <p>Confined: the thread that starts or stops a server.
 */
public final class LocalGeneration {
    /** The text up to the number. */
    public static final String FORM = "talos generation 1 ";

    private static final Pattern TEXT = Pattern.compile(FORM + "([0-9]{1,18})\\s*");
    private static final int MAX_BYTES = 100;

    private final Disk disk;
    private final Path path;

    /** Creates the generation of a store's directory, which need not exist. */
    public LocalGeneration(Path root) {
        this(new Disk.RealDisk(), root);
    }

    LocalGeneration(Disk disk, Path root) {
        this.disk = disk;
        path = new DiskPaths(root).generation();
    }

    /** Returns the file. */
    public Path path() {
        return path;
    }

    /**
     * Returns the number; empty if there is none.
     *
     * @throws StorageException UNAVAILABLE; CORRUPT: the file has another form
     */
    public OptionalLong find() throws StorageException {
        ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
        try (StoredFile file = disk.open(path)) {
            file.read(0, bytes);
        } catch (NoSuchFileException e) {
            return OptionalLong.empty();
        } catch (IOException e) {
            throw StorageException.unavailable(path + " cannot be read", Effect.NONE, e);
        }
        Matcher matcher = TEXT.matcher(StandardCharsets.US_ASCII.decode(bytes.flip()));
        if (!matcher.matches()) {
            throw new StorageException(
                    Reason.CORRUPT,
                    Effect.NONE,
                    path + " is not the generation of logs (expected: '" + FORM + "' and a number)",
                    null);
        }
        return OptionalLong.of(Long.parseLong(matcher.group(1)));
    }

    /** Replaces the number; durable once this returns. */
    public void save(long generation) throws StorageException {
        try {
            disk.replace(path, (FORM + generation + "\n").getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw StorageException.unavailable(path + " cannot be written", Effect.UNKNOWN, e);
        }
    }
}
