// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.service.call.ServiceName;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GalaxyTalosException;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;

/** Puts by calls that their program has named, as our SDK makes them: the key alone says that one is repeated. */
class NamedPutsTest extends MessageFixture {
    private PutMessageRequest named(String text, String key, MessageCompressionType type) {
        return put(text, type).setSequenceId("\u0001" + key + "\u0001" + text);
    }

    private PutMessageRequest named(String text, String key) {
        return named(text, key, MessageCompressionType.NONE);
    }

    @Test
    void putIsStoredOnceWhateverItsBytes() throws Exception {
        PutMessageRequest first = named("same", "row-17");
        PutMessageResponse stored = new PutMessageResponse();

        assertThat(call(ServiceName.MESSAGE, "putMessage", first, ANN, GO).read(stored))
                .isEmpty();
        assertThat(answerTo(named("same", "row-17", MessageCompressionType.GZIP), OURS))
                .isEmpty();
        assertThat(answerTo(named("same", "row-18"), OURS)).isEmpty();

        assertThat(stored.getSequenceId()).isEqualTo(first.getSequenceId());
        assertThat(end()).isEqualTo(1);
    }

    @Test
    void anotherPutOfTheSameNameIsRefusedAndNotStored() throws Exception {
        assertThat(answerTo(named("a", "row-17"), OURS)).isEmpty();

        GalaxyTalosException refused = answerTo(named("b", "row-17"), OURS).orElseThrow();

        assertThat(refused.getErrorCode()).isEqualTo(ErrorCode.LOCK_VALUE_NOT_EXPECTED);
        assertThat(refused.getErrMsg()).contains("the key of this put was used for another put");
        assertThat(end()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"#", "#key", "#key#", "##digest", "#a key#digest", "#ké#digest", "#key#a#b"})
    void whatLooksLikeANameAndIsNoneIsRefused(String form) throws Exception {
        PutMessageRequest put = put("a", MessageCompressionType.NONE).setSequenceId(form.replace('#', '\u0001'));

        assertThat(answerTo(put, OURS).orElseThrow().getErrorCode()).isEqualTo(ErrorCode.MESSAGE_INCOMPLETE);
    }
}
