// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs.inspection;

import java.io.IOException;
import java.time.Instant;
import java.util.Locale;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.talos.server.hadoop.Inventory;

/** The listing of a directory, as {@code hdfs dfs -ls -R} prints it. Immutable; its calls block. */
public final class HdfsListing {
    private static final int MOST = 1_000_000;

    private final FileSystem files;
    private final Path root;

    HdfsListing(FileSystem files, Path root) {
        this.files = files;
        this.root = root;
    }

    /** Lists all files by the directory below the root, up to this number by name. */
    public Inventory read(int shown) throws IOException {
        Inventory found = new Inventory("files in " + root, shown);
        walk(root, found);
        return found;
    }

    private void walk(Path directory, Inventory found) throws IOException {
        var each = files.listStatusIterator(directory);
        while (each.hasNext()) {
            FileStatus status = each.next();
            if (found.count() >= MOST) {
                found.truncate();
                return;
            }
            if (status.isDirectory()) {
                walk(status.getPath(), found);
            } else {
                String path = status.getPath().toUri().getPath();
                found.add(kind(path), new Inventory.Item(path, status.getLen(), line(status)));
            }
        }
    }

    /** Returns the directory directly below the root. */
    private String kind(String path) {
        String below = path.substring(root.toUri().getPath().length() + 1);
        int slash = below.indexOf('/');
        return slash < 0 ? "." : below.substring(0, slash);
    }

    /** Returns a file or directory in one line. */
    public static String line(FileStatus status) {
        String replication = status.isDirectory() ? "-" : Short.toString(status.getReplication());
        return String.format(
                Locale.ROOT,
                "%s%s %3s %s %s %12d %s %s",
                status.isDirectory() ? "d" : "-",
                status.getPermission(),
                replication,
                status.getOwner(),
                status.getGroup(),
                status.getLen(),
                Instant.ofEpochMilli(status.getModificationTime()),
                status.getPath().toUri().getPath());
    }
}
