// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Names of disks, from directories as those below /sys. */
@Timeout(30)
class DiskAttachmentTest {
    private static final long WHOLE = 254L << 8;
    private static final long PARTITION = (254L << 8) | 1;

    @TempDir
    Path system;

    private Path disk;
    private DiskAttachment attachment;

    /** A disk with one partition. */
    @BeforeEach
    void attach() throws IOException {
        disk = Files.createDirectories(system.resolve("devices/vda"));
        Path partition = Files.createDirectory(disk.resolve("vda1"));
        Path numbers = Files.createDirectories(system.resolve("dev/block"));
        Files.createSymbolicLink(numbers.resolve("254:0"), disk);
        Files.createSymbolicLink(numbers.resolve("254:1"), partition);
        Files.writeString(disk.resolve("diskseq"), "9\n");
        attachment = new DiskAttachment(numbers);
    }

    @Test
    void diskHasItsNumberAndTheNumberOfItsAttachment() {
        assertThat(attachment.of(WHOLE)).contains("254:0/9");
    }

    @Test
    void partitionHasTheAttachmentOfItsDisk() {
        assertThat(attachment.of(PARTITION)).contains("254:1/9");
    }

    @Test
    void diskThatWasAttachedAgainHasAnotherName() throws Exception {
        Files.writeString(disk.resolve("diskseq"), "12\n");

        assertThat(attachment.of(PARTITION)).contains("254:1/12");
    }

    @Test
    void earlierKernelGivesTheNumberAlone() throws Exception {
        Files.delete(disk.resolve("diskseq"));

        assertThat(attachment.of(WHOLE)).contains("254:0");
    }

    /** As Btrfs, NFS, and the layers of a container give it. */
    @Test
    void fileSystemWithoutABlockDeviceHasNoName() {
        assertThat(attachment.of(45)).isEmpty();
    }

    @Test
    void numbersThatDoNotFitAByteAreReadAsTheSystemWritesThem() throws Exception {
        Files.createDirectory(system.resolve("dev/block/259:300"));

        assertThat(attachment.of(0x11032cL)).contains("259:300");
    }

    /** Empty where this directory is on no block device. */
    @Test
    void fileHasTheNameOfItsDisk() throws Exception {
        Path file = Files.createFile(system.resolve("file"));
        long device = (Long) Files.getAttribute(system, "unix:dev");

        assertThat(new Disk.RealDisk().attachmentOf(file)).isEqualTo(DiskAttachment.LINUX.of(device));
    }
}
