// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.talos.common.error.Effect;
import org.talos.server.storage.LogsIdentity;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.StoredFile;

/** The identity of logs in a directory of this machine. Confined: as {@link LogsIdentity}. */
final class LocalIdentity implements LogsIdentity {
    private static final int MAX_BYTES = 100;

    private final Disk disk;
    private final DiskPaths paths;

    /** Creates the identity of a store's directory, which need not exist. */
    LocalIdentity(Disk disk, Path root) {
        this.disk = disk;
        paths = new DiskPaths(root);
    }

    @Override
    public Optional<String> find() throws StorageException {
        Optional<byte[]> file = read(paths.identity());
        return file.isPresent()
                ? Optional.of(LogsIdentity.decode(file.get(), paths.identity().toString()))
                : Optional.empty();
    }

    @Override
    public Optional<String> begun() throws StorageException {
        Optional<byte[]> file = read(paths.begunIdentity());
        return file.isPresent()
                ? Optional.of(
                        LogsIdentity.decode(file.get(), paths.begunIdentity().toString()))
                : Optional.empty();
    }

    private Optional<byte[]> read(Path path) throws StorageException {
        ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
        try (StoredFile file = disk.open(path)) {
            byte[] read = new byte[file.read(0, bytes)];
            bytes.flip().get(read);
            return Optional.of(read);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw StorageException.unavailable(path + " cannot be read", Effect.NONE, e);
        }
    }

    @Override
    public void begin(String identity) throws StorageException {
        try {
            new Directories(disk, paths.root()).make(paths.root());
            disk.replace(paths.begunIdentity(), LogsIdentity.encode(identity));
        } catch (IOException e) {
            throw StorageException.unavailable(paths.begunIdentity() + " cannot be written", Effect.UNKNOWN, e);
        }
    }

    @Override
    public void finish() throws StorageException {
        try {
            disk.move(paths.begunIdentity(), paths.identity());
            disk.syncDirectory(paths.root());
        } catch (NoSuchFileException e) {
            throw new StorageException(Reason.UNAVAILABLE, Effect.NONE, paths.begunIdentity() + " has gone", e);
        } catch (IOException e) {
            throw StorageException.unavailable(paths.identity() + " cannot be written", Effect.UNKNOWN, e);
        }
    }

    @Override
    public boolean holds(SegmentName name) {
        return disk.exists(paths.segment(name));
    }

    @Override
    public String place() {
        return paths.root().toString();
    }

    @Override
    public void close() {
        // Nothing is held open.
    }
}
