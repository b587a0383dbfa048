// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.talos.server.log.Block;
import org.talos.server.log.Put;
import org.talos.server.log.PutOrigin;
import org.talos.server.storage.LogId;
import org.talos.server.transfer.wire.Answer;
import org.talos.server.transfer.wire.Greeting;
import org.talos.server.transfer.wire.Request;
import org.talos.server.transfer.wire.TransferKey;

/** The example of docs/formats/transfer.md is what the code sends. */
class TransferFormatTest {
    private static final Pattern LINE = Pattern.compile("^(\\w+) +((?:[0-9a-f]{2})+)$", Pattern.MULTILINE);

    @Test
    void documentedExampleIsWhatIsSent() throws Exception {
        String page = Files.readString(Path.of(System.getProperty("talos.root"), "docs/formats/transfer.md"));
        byte[] hello = documented(page, "hello");
        TransferKey key = new TransferKey("0123456789abcdef0123456789abcdef".getBytes(US_ASCII));
        byte[] reply = documented(page, "reply");
        byte[] number = new byte[32];
        ByteBuffer.wrap(reply).get(12, number);

        Greeting greeting = Greeting.toAnswer(hello, number, key);
        Put put = new Put(
                "sequence",
                PutOrigin.REPEATED,
                List.of(new Block(1, 0, 0, ByteBuffer.allocate(0), ByteBuffer.wrap("hello".getBytes(US_ASCII)))));
        LogId id = new LogId("0123456789abcdef0123456789abcdef", 3);
        List<ByteBuffer> request = Request.put(id, put).message(1, "alice", 10_000_000_000L);
        List<ByteBuffer> answer = Answer.result(Request.PUT, 1, out -> out.number(1, 42L));

        assertThat(greeting.reply()).isEqualTo(reply);
        assertThat(greeting.serverProof()).isEqualTo(documented(page, "proof"));
        assertThat(hex(greeting.requests().head(1, request), request)).isEqualTo(hex(documented(page, "put")));
        assertThat(hex(greeting.answers().head(1, answer), answer)).isEqualTo(hex(documented(page, "answer")));
    }

    private static byte[] documented(String page, String name) {
        Matcher line = LINE.matcher(page.replace("\n      ", "")); // long ones go on in further lines
        while (line.find()) {
            if (line.group(1).equals(name)) {
                return HexFormat.of().parseHex(line.group(2));
            }
        }
        throw new AssertionError("the page has no example named " + name);
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static void append(ByteArrayOutputStream all, ByteBuffer more) {
        byte[] bytes = new byte[more.remaining()];
        more.duplicate().get(bytes);
        all.writeBytes(bytes);
    }

    private static String hex(ByteBuffer head, List<ByteBuffer> message) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        append(all, head);
        message.forEach(each -> append(all, each));
        return hex(all.toByteArray());
    }
}
