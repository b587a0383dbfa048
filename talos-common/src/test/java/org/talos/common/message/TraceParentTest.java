// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

@Timeout(10)
class TraceParentTest {
    private static final String VALID = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    private static final String OTHER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

    @Test
    void validOneIsTakenAsItIs() {
        assertThat(TraceParent.of(VALID)).contains(VALID);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-the-future-will-be-like"
            })
    void laterVersionIsReadAsTheFirst(String later) {
        assertThat(TraceParent.of(later)).contains(VALID);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 ",
                "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.more",
                "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "0ä-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
            })
    void anythingElseCountsAsNotSent(String header) {
        assertThat(TraceParent.of(header)).isEmpty();
    }

    @Test
    void noneIsNone() {
        assertThat(TraceParent.of(null)).isEmpty();
    }

    private static List<String> traces(MessageBlock block) throws MalformedBlockException {
        return MessageBlocks.read(block, 10_000).stream()
                .map(MessageAndOffset::getMessage)
                .map(each -> each.isSetHeaders() && each.getHeaders().containsKey(TraceParent.NAME)
                        ? StandardCharsets.UTF_8
                                .decode(each.getHeaders().get(TraceParent.NAME).duplicate())
                                .toString()
                        : "none")
                .toList();
    }

    @Test
    void messagesOfABlockHaveItsTraceUnlessTheyHaveTheirOwn() throws Exception {
        Message plain = new Message(StandardCharsets.UTF_8.encode("plain"));
        Message own = new Message(StandardCharsets.UTF_8.encode("own"));
        own.putToHeaders(TraceParent.NAME, StandardCharsets.UTF_8.encode(OTHER));
        MessageBlock block = MessageBlocks.write(List.of(plain, own, plain), MessageCompressionType.GZIP, 1);
        assertThat(traces(block)).containsExactly("none", OTHER, "none");

        block.setTraceparent(VALID);
        assertThat(traces(block)).containsExactly(VALID, OTHER, VALID);
        block.setTraceparent("nonsense");
        assertThat(traces(block)).containsExactly("none", OTHER, "none");
    }
}
