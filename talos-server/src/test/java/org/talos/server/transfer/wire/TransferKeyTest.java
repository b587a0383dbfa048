// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
        return file("transfer.key", text, permissions);
    }

    private String file(String name, String text, String permissions) throws IOException {
        Path file = directory.resolve(name);
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
        return file.toString();
    }

    @Test
    void fileHoldsTheKey() throws Exception {
        TransferKey key = TransferKey.read(file(SECRET, "rw-------"));

        assertThat(key.code(new byte[] {1}))
                .isEqualTo(new TransferKey(SECRET.getBytes(StandardCharsets.US_ASCII)).code(new byte[] {1}));
        assertThat(key.toString()).doesNotContain(SECRET);
    }

    private static TransferKey key(String text) {
        return new TransferKey(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static boolean isUnderstood(TransferKey sender, TransferKey server) throws IOException {
        byte[] hello = Handshake.hello(false);
        Handshake sent = Handshake.ofHello(hello, sender);
        Handshake taken;
        try {
            taken = Handshake.ofReply(hello, sent.reply(), server);
        } catch (IOException e) {
            assertThat(e).hasMessage("the other server has another transfer key");
            return false;
        }
        sent.checkServer(taken.serverProof());
        return true;
    }

    @Test
    void keyIsChangedServerByServerWithoutARefusal() throws Exception {
        String other = "f".repeat(32);
        TransferKey first = key(SECRET);
        file("transfer.key.accepted", other, "rw-------");
        TransferKey acceptsBoth = TransferKey.read(file(SECRET, "rw-------"));
        file("transfer.key.accepted", SECRET, "rw-------");
        TransferKey sendsTheOther = TransferKey.read(file(other, "rw-------"));
        TransferKey last = key(other);

        assertThat(isUnderstood(first, acceptsBoth) && isUnderstood(acceptsBoth, first))
                .isTrue();
        assertThat(isUnderstood(sendsTheOther, acceptsBoth) && isUnderstood(acceptsBoth, sendsTheOther))
                .isTrue();
        assertThat(isUnderstood(last, sendsTheOther) && isUnderstood(sendsTheOther, last))
                .isTrue();
        assertThat(isUnderstood(last, first)).isFalse();
        assertThat(isUnderstood(sendsTheOther, first))
                .as("it sends with its first key")
                .isFalse();
    }

    @Test
    void secondKeyIsCheckedAsTheFirstIs() throws Exception {
        file("transfer.key.accepted", "too short", "rw-------");
        String file = file(SECRET, "rw-------");

        assertThatThrownBy(() -> TransferKey.read(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("transfer.key.accepted has 9 bytes");
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
