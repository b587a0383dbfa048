// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.security.AccessControlException;
import org.talos.common.error.Effect;
import org.talos.server.config.HdfsConfig;
import org.talos.server.hadoop.ClientConfiguration;
import org.talos.server.storage.LogsIdentity;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.hdfs.inspection.HdfsListing;

/** Creates the directory of all logs, and finds the identity of their owner. Immutable; its calls block. */
public final class HdfsRoot {
    private static final FsPermission OWNER_ONLY = new FsPermission((short) 0700); // messages are private

    private HdfsRoot() {}

    /**
     * Creates the directory, for this user alone, or leaves it as it is.
     *
     * @return the actions taken
     * @throws IOException it cannot be created, or files in it cannot be flushed
     */
    public static String prepare(HdfsConfig config) throws IOException {
        Configuration client = ClientConfiguration.hdfs(config);
        Path root = new Path(config.root());
        try (FileSystem files = FileSystem.newInstance(root.toUri(), client)) {
            boolean made = !files.exists(root);
            if (made) {
                make(files, root);
            }
            refuseErasureCoding(files, root);
            FileStatus status = files.getFileStatus(root);
            return (made ? "made the directory " : "the directory is there already: ") + HdfsListing.line(status);
        }
    }

    /**
     * Returns the identity of the logs in the directory.
     *
     * @throws IOException HDFS cannot be reached
     */
    public static LogsIdentity identity(HdfsConfig config) throws IOException {
        Path root = new Path(config.root());
        FileSystem files = FileSystem.newInstance(root.toUri(), ClientConfiguration.hdfs(config));
        return new HdfsIdentity(files, new HdfsPaths(files.makeQualified(root)));
    }

    /**
     * Checks whether HDFS answers and accepts writes.
     *
     * @throws IOException its configuration cannot be read, or it refuses this user
     * @throws StorageException UNAVAILABLE: not now
     */
    public static void reach(HdfsConfig config) throws IOException, StorageException {
        Path root = new Path(config.root());
        try (FileSystem files = FileSystem.newInstance(root.toUri(), ClientConfiguration.hdfs(config))) {
            try {
                if (files instanceof DistributedFileSystem hdfs && hdfs.isInSafeMode()) {
                    throw new IOException("the NameNode is in safe mode");
                }
                var unused = files.exists(root);
            } catch (AccessControlException e) {
                throw e;
            } catch (IOException e) {
                throw StorageException.unavailable("no logs can be written to " + root, Effect.NONE, e);
            }
        }
    }

    private static void make(FileSystem files, Path root) throws IOException {
        try {
            Path parent = root.getParent();
            boolean parentThere = parent == null || files.mkdirs(parent); // it may be everybody's
            if (!parentThere || !files.mkdirs(root, OWNER_ONLY)) {
                throw new IOException(root + " cannot be made");
            }
        } catch (AccessControlException e) {
            String path = root.toUri().getPath();
            throw new IOException(
                    "this user may not make " + root + "; as a superuser: hdfs dfs -mkdir -p " + path
                            + "; hdfs dfs -chown USER " + path + "; hdfs dfs -chmod 700 " + path,
                    e);
        }
        files.setPermission(root, OWNER_ONLY); // the client's umask may have removed it
    }

    private static void refuseErasureCoding(FileSystem files, Path root) throws IOException {
        if (files instanceof DistributedFileSystem hdfs && hdfs.getErasureCodingPolicy(root) != null) {
            throw new IOException(
                    "files in " + root + " are erasure coded and cannot be flushed: hdfs ec -setPolicy -path "
                            + root.toUri().getPath() + " -replicate");
        }
    }
}
