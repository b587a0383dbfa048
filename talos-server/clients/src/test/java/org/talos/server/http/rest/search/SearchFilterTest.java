// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.thrift.Message;

class SearchFilterTest {
    private static SearchFilter header(String name, Optional<String> value) {
        return new SearchFilter(
                Optional.empty(),
                Optional.of(new SearchFilter.Header(name, value)),
                Optional.empty(),
                Optional.empty(),
                List.of());
    }

    private static Message message(String name, String value) {
        Message message = new Message(ByteBuffer.wrap(new byte[] {'x'}));
        message.setHeaders(Map.of(name, ByteBuffer.wrap(value.getBytes(UTF_8))));
        return message;
    }

    @ParameterizedTest
    @CsvSource({
        "name, é€, true",
        "NAME, é€, true",
        "name, é, false",
        "name, é€€, false",
        "other, é€, false",
        "name, , true",
        "other, , false"
    })
    void headerHasTheNameInAnyCaseAndTheWholeValue(String name, String value, boolean matches) {
        assertThat(header(name, Optional.ofNullable(value)).matches(message("name", "é€"), new SearchWork()))
                .isEqualTo(matches);
    }

    @Test
    void longHeaderIsNotDecoded() {
        Message message = message("name", "v".repeat(4 << 20));
        SearchFilter filter = header("name", Optional.of("value"));
        assertThat(filter.matches(message, new SearchWork())).isFalse();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();

        assertThat(filter.matches(message, new SearchWork())).isFalse();

        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(64 << 10);
    }
}
