// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.thrift.TBase;
import org.junit.jupiter.api.Test;
import org.talos.common.error.TalosException;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.thrift.CreateTopicRequest;
import org.talos.thrift.DeleteTopicRequest;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetPartitionsOffsetRequest;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicAttribute;
import org.talos.thrift.TopicTalosResourceName;

/** Checks that the check and the wire refuse the same requests, in the same words. */
class RequestCheckTest {
    @Test
    void wholeRequestPasses() {
        assertThatCode(() -> RequestCheck.check(topicWith(64))).doesNotThrowAnyException();
    }

    @Test
    void missingFieldIsRefusedAsTheWireDoes() {
        assertRefusedAsByTheWire(new CreateTopicRequest().setTopicName("orders"), new CreateTopicRequest());
    }

    @Test
    void missingFieldOfAStructInsideIsRefusedAsTheWireDoes() {
        assertRefusedAsByTheWire(new DeleteTopicRequest(new TopicTalosResourceName()), new DeleteTopicRequest());
    }

    @Test
    void missingFieldOfAListsElementIsRefusedAsTheWireDoes() {
        assertRefusedAsByTheWire(
                new GetPartitionsOffsetRequest(List.of(new TopicAndPartition())), new GetPartitionsOffsetRequest());
    }

    @Test
    void tooManyElementsAreRefusedAsByTheWire() {
        assertThatCode(() -> RequestCheck.check(topicWith(Wire.MAX_CONTAINER_ELEMENTS)))
                .doesNotThrowAnyException();
        assertRefusedAsByTheWire(topicWith(Wire.MAX_CONTAINER_ELEMENTS + 1), new CreateTopicRequest());
    }

    private static CreateTopicRequest topicWith(int attributes) {
        Map<String, String> all = new HashMap<>();
        for (int i = 0; i < attributes; i++) {
            all.put("key" + i, "");
        }
        return new CreateTopicRequest("orders", new TopicAttribute().setAttributes(all));
    }

    private static void assertRefusedAsByTheWire(TBase<?, ?> request, TBase<?, ?> empty) {
        Throwable byWire = catchThrowable(() -> {
            byte[] bytes = Wire.bytes(ThriftEncoding.COMPACT, request);
            empty.read(Wire.reader(ThriftEncoding.COMPACT, bytes, 0, bytes.length));
        });

        assertThat(byWire).isNotNull();
        assertThatThrownBy(() -> RequestCheck.check(request))
                .isInstanceOfSatisfying(
                        TalosException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST))
                .hasMessage("the request cannot be read: " + byWire.getMessage());
    }
}
