// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * Calls of one HDFS. HDFS's client wraps some failures of the NameNode in a {@code RemoteException}, depending on the
 * call and the version, so that a missing file is no {@code FileNotFoundException}. Here each failure is unwrapped,
 * including those of written files. Otherwise the methods are those of {@link DistributedFileSystem}.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class HdfsCalls {
    private static final int BUFFER_BYTES = 64 << 10;

    private final DistributedFileSystem files;

    /** Creates the calls of a connected file system. */
    public HdfsCalls(DistributedFileSystem files) {
        this.files = files;
    }

    public Path makeQualified(Path path) {
        return files.makeQualified(path);
    }

    /**
     * Creates a new file in an existing directory. Each of its blocks survives a power failure of all DataNodes from
     * the moment it is full or the file is closed: a sync of the file reaches only the block that is being written.
     */
    public WrittenFile create(Path path, int replication, long blockBytes) throws IOException {
        FsPermission usual = FsPermission.getFileDefault();
        return Unpacked.call(() -> new WrittenFile(files.createNonRecursive(
                path,
                usual,
                EnumSet.of(CreateFlag.CREATE, CreateFlag.SYNC_BLOCK),
                BUFFER_BYTES,
                (short) replication,
                blockBytes,
                null)));
    }

    /** Opens a closed file for writes behind its end. Its blocks survive as those of {@link #create}. */
    public WrittenFile append(Path path) throws IOException {
        return Unpacked.call(() -> new WrittenFile(
                files.append(path, EnumSet.of(CreateFlag.APPEND, CreateFlag.SYNC_BLOCK), BUFFER_BYTES, null)));
    }

    public boolean mkdirs(Path path) throws IOException {
        return Unpacked.call(() -> files.mkdirs(path));
    }

    public boolean exists(Path path) throws IOException {
        return Unpacked.call(() -> files.exists(path));
    }

    /** Returns the contents of a directory. */
    public List<FileStatus> list(Path directory) throws IOException {
        return Unpacked.call(() -> {
            List<FileStatus> found = new ArrayList<>();
            var each = files.listStatusIterator(directory);
            while (each.hasNext()) {
                found.add(each.next());
            }
            return found;
        });
    }

    public boolean isFileClosed(Path path) throws IOException {
        return Unpacked.call(() -> files.isFileClosed(path));
    }

    public FileStatus getFileStatus(Path path) throws IOException {
        return Unpacked.call(() -> files.getFileStatus(path));
    }

    /** Sets the modification time of a file. */
    public void setTime(Path path, long time) throws IOException {
        Unpacked.run(() -> files.setTimes(path, time, -1));
    }

    public FSDataInputStream open(Path path) throws IOException {
        return Unpacked.call(() -> files.open(path, BUFFER_BYTES));
    }

    /** Deletes a file or a whole directory. Returns false if there is none. */
    public boolean delete(Path path) throws IOException {
        return Unpacked.call(() -> files.delete(path, true));
    }

    public void rename(Path from, Path to, Rename option) throws IOException {
        Unpacked.run(() -> files.rename(from, to, option));
    }

    public boolean truncate(Path path, long length) throws IOException {
        return Unpacked.call(() -> files.truncate(path, length));
    }

    public boolean recoverLease(Path path) throws IOException {
        return Unpacked.call(() -> files.recoverLease(path));
    }

    /** Disconnects. */
    public void close() throws IOException {
        files.close();
    }
}
