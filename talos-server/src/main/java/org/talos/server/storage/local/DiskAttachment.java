// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Names the disk of a file system, together with the number of disks that Linux had attached before. The name changes
 * when the disk is taken away and attached again: then unsynced writes may be lost without a restart of the system.
 *
 * <p>The name is the same in each container. The ids of mounts are not: they change when a container starts, so a kill
 * would pass for a loss, and a mount may get the id of an earlier one. So a file system that was shut down after an
 * error, and mounted again from the same disk, has the same name.
 *
 * <p>Immutable.
 *
 * @param devices directory that lists block devices by their numbers
 */
record DiskAttachment(Path devices) {
    /** Lists the devices of this system. */
    static final DiskAttachment LINUX = new DiskAttachment(Path.of("/sys/dev/block"));

    private static final Logger LOG = LoggerFactory.getLogger(DiskAttachment.class);
    private static final String SEQUENCE = "diskseq"; // since Linux 5.15

    /**
     * Returns the name in one word, such as {@code 254:0/9}; without the slash and the number on earlier kernels. Empty
     * for a file system without a block device of its own, such as NFS and Btrfs.
     *
     * @param device number as the system gives it with a file
     */
    Optional<String> of(long device) {
        long major = ((device >>> 8) & 0xfff) | ((device >>> 32) & 0xfffff000L);
        long minor = (device & 0xff) | ((device >>> 12) & 0xffffff00L);
        String number = major + ":" + minor;
        Path block = devices.resolve(number);
        return Files.isDirectory(block)
                ? Optional.of(number + sequence(block).map(each -> "/" + each).orElse(""))
                : Optional.empty();
    }

    private static Optional<String> sequence(Path block) {
        try {
            Path directory = block.toRealPath();
            for (Path file : List.of(directory.resolve(SEQUENCE), directory.resolveSibling(SEQUENCE))) {
                if (Files.isReadable(file)) { // the second for a partition, which is in the directory of its disk
                    return Optional.of(Files.readString(file).strip());
                }
            }
        } catch (IOException e) {
            LOG.debug("attachment of a disk not known device={}", block, e);
        }
        return Optional.empty();
    }
}
