// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Optional;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.runtime.FirstLine;
import org.talos.server.storage.LogsIdentity;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/** The identity of logs in a directory of HDFS. Confined: as {@link LogsIdentity}. */
final class HdfsIdentity implements LogsIdentity {
    private static final Logger LOG = LoggerFactory.getLogger(HdfsIdentity.class);

    private static final int BUFFER_BYTES = 4_096;

    private final FileSystem files;
    private final HdfsPaths paths;

    /** Uses a file system that is closed with it. */
    HdfsIdentity(FileSystem files, HdfsPaths paths) {
        this.files = files;
        this.paths = paths;
    }

    @Override
    public Optional<String> find() throws StorageException {
        Optional<byte[]> file = read(paths.identity());
        if (file.isPresent()) {
            return Optional.of(LogsIdentity.decode(file.get(), paths.identity().toString()));
        }
        refuseMissingRoot();
        return Optional.empty();
    }

    private void refuseMissingRoot() throws StorageException {
        try {
            if (!files.exists(paths.root())) {
                throw missingRoot(paths.root());
            }
        } catch (IOException e) {
            throw StorageException.unavailable(paths.root() + " cannot be looked at", Effect.NONE, e);
        }
    }

    /** A server creates no root: in a wrong place it would begin all logs again. */
    static StorageException missingRoot(Path root) {
        return new StorageException(
                Reason.UNAVAILABLE,
                Effect.NONE,
                "there is no directory " + root + ": if hdfs.root and hdfs.configDirectory are right, "
                        + "bin/talos init --config FILE makes it",
                null);
    }

    @Override
    public Optional<String> begun() throws StorageException {
        Optional<byte[]> file = read(paths.begunIdentity());
        try {
            return file.isPresent()
                    ? Optional.of(LogsIdentity.decode(
                            file.get(), paths.begunIdentity().toString()))
                    : Optional.empty();
        } catch (StorageException e) {
            LOG.info("identity file created but not written cause={}", FirstLine.of(e));
            return Optional.empty();
        }
    }

    private Optional<byte[]> read(Path path) throws StorageException {
        try (FSDataInputStream in = files.open(path)) {
            return Optional.of(in.readAllBytes());
        } catch (FileNotFoundException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw StorageException.unavailable(path + " cannot be read", Effect.NONE, e);
        }
    }

    @Override
    public void begin(String identity) throws StorageException {
        Path begun = paths.begunIdentity();
        try (FSDataOutputStream out = files.create(
                begun,
                FsPermission.getFileDefault(),
                EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE, CreateFlag.SYNC_BLOCK), // on the disks once closed
                BUFFER_BYTES,
                files.getDefaultReplication(begun),
                files.getDefaultBlockSize(begun),
                null)) {
            out.write(LogsIdentity.encode(identity));
        } catch (IOException e) {
            throw StorageException.unavailable(begun + " cannot be written", Effect.UNKNOWN, e);
        }
    }

    @Override
    public void finish() throws StorageException {
        try {
            if (!files.rename(paths.begunIdentity(), paths.identity())) {
                throw new IOException("it cannot be renamed");
            }
        } catch (IOException e) {
            throw StorageException.unavailable(paths.identity() + " cannot be written", Effect.UNKNOWN, e);
        }
    }

    @Override
    public boolean holds(SegmentName name) throws StorageException {
        try {
            return files.exists(paths.first(name));
        } catch (IOException e) {
            throw StorageException.unavailable("segment " + name + " cannot be looked for", Effect.NONE, e);
        }
    }

    @Override
    public String place() {
        return paths.root().toString();
    }

    @Override
    public void close() {
        try {
            files.close();
        } catch (IOException e) {
            LOG.info("file system not closed cleanly cause={}", e.toString());
        }
    }
}
