// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.talos.common.auth.RequestSignature;

class RequestBodyTest {
    @Test
    void lengthAndDigestAreOfAllParts() {
        byte[] bytes = new byte[100_000];
        new Random(1).nextBytes(bytes);

        RequestBody body = new RequestBody(List.of(
                ByteBuffer.wrap(bytes, 0, 7),
                ByteBuffer.wrap(bytes, 7, bytes.length - 7).slice()));

        assertThat(body.contentLength()).isEqualTo(bytes.length);
        assertThat(body.md5Hex()).isEqualTo(RequestSignature.md5Hex(bytes));
    }
}
