// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/** Compression in JVMs that can, or cannot, unpack a native library. */
@Timeout(60)
class CompressionLibrariesTest {
    private static final String TEXT = "a message, a message, a message";

    @TempDir
    private Path directory;

    /** Prints what becomes of a block of each compression, and of a block of zstd that another process has made. */
    static final class Probe {
        private Probe() {}

        public static void main(String[] arguments) throws Exception {
            PrintStream out = new PrintStream(System.out, true, UTF_8);
            for (MessageCompressionType type : MessageCompressionType.values()) {
                MessageBlock block = MessageBlocks.write(List.of(message()), type, 1);
                String read = new String(
                        MessageBlocks.read(block, 1_000).get(0).getMessage().getMessage(), UTF_8);
                out.println(type + " " + block.getCompressionType() + " " + read.equals(TEXT));
            }
            try {
                MessageBlock block = new MessageBlock(
                        0,
                        1,
                        MessageCompressionType.ZSTD,
                        ByteBuffer.wrap(Base64.getDecoder().decode(arguments[0])));
                out.println("read " + MessageBlocks.read(block, 1_000).size());
            } catch (MissingLibraryException e) {
                out.println("missing " + e.getMessage());
            }
        }
    }

    private static Message message() {
        return new Message(ByteBuffer.wrap(TEXT.getBytes(UTF_8)));
    }

    private List<String> probe(Path temporaryFiles) throws Exception {
        byte[] zstd = MessageBlocks.write(List.of(message()), MessageCompressionType.ZSTD, 1)
                .getMessageBlock();
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.io.tmpdir=" + temporaryFiles,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Probe.class.getName(),
                        Base64.getEncoder().encodeToString(zstd))
                .redirectError(directory.resolve("errors").toFile())
                .start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor())
                .as(Files.readString(directory.resolve("errors")))
                .isZero();
        return said.lines().toList();
    }

    @Test
    void librariesAreUnpackedAndNothingOfThemStays() throws Exception {
        Path temporary = Files.createDirectory(directory.resolve("tmp"));

        assertThat(probe(temporary))
                .containsExactly(
                        "NONE NONE true",
                        "SNAPPY SNAPPY true",
                        "GZIP GZIP true",
                        "ZSTD ZSTD true",
                        "LZ4 LZ4 true",
                        "read 1");
        try (var left = Files.list(temporary)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void messagesAreCompressedByGzipWhereNoLibraryCanBeUnpacked() throws Exception {
        Path missing = directory.resolve("missing");

        List<String> said = probe(missing);

        assertThat(said)
                .startsWith("NONE NONE true", "SNAPPY GZIP true", "GZIP GZIP true", "ZSTD GZIP true", "LZ4 LZ4 true");
        assertThat(said.get(5))
                .startsWith("missing cannot load the library of zstd")
                .contains(missing.toString(), "-Djava.io.tmpdir");
    }
}
