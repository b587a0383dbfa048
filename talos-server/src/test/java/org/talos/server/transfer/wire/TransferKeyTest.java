// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransferKeyTest {
    private static final String SECRET = "0123456789abcdef0123456789abcdef";

    @TempDir
    Path directory;

    private String file(String text, String permissions) throws IOException {
        Path file = directory.resolve("transfer.key");
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
        return file.toString();
    }

    @Test
    void fileHoldsTheKey() throws Exception {
        TransferKey key = TransferKey.read(file(SECRET, "rw-------"));

        assertThat(key.code(new byte[] {1}))
                .isEqualTo(new TransferKey(SECRET.getBytes(java.nio.charset.StandardCharsets.US_ASCII))
                        .code(new byte[] {1}));
        assertThat(key.toString()).doesNotContain(SECRET);
    }

    @Test
    void whatCanNotBeAKeyIsRefusedWithoutShowingIt() {
        assertThatThrownBy(() -> TransferKey.read(""))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("blank");
        assertThatThrownBy(() -> TransferKey.read(directory.resolve("none").toString()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is missing; make it once");
        assertThatThrownBy(() -> TransferKey.read(file("too short", "rw-------")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has 9 bytes (expected: 32..")
                .hasMessageNotContaining("too short");
        assertThatThrownBy(() -> TransferKey.read(file(SECRET, "rw-r-----")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("chmod 600")
                .hasMessageNotContaining(SECRET);
    }
}
