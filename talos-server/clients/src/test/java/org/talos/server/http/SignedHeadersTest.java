// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.server.Request;
import org.junit.jupiter.api.Test;
import org.talos.common.auth.SignedHeader;
import org.talos.server.auth.SignedRequest;
import org.talos.server.fuzz.Fuzzed;

/** Tests the headers that a signature covers, which are read before it is known whether there is one. */
class SignedHeadersTest {
    private static final int MOST_BYTES = 1 << 20;
    private static final int AS_MANY_AS_FIT = 1_300;

    private static Request request(HttpFields headers) {
        return (Request) Proxy.newProxyInstance(
                Request.class.getClassLoader(),
                new Class<?>[] {Request.class},
                (self, method, arguments) -> switch (method.getName()) {
                    case "getHeaders" -> headers;
                    case "getMethod" -> "POST";
                    case "getHttpURI" -> HttpURI.from("http://a/b?c");
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    @Test
    void manyEqualHeadersAreReadWithoutMuchMemory() throws Exception {
        HttpFields.Mutable headers = HttpFields.build();
        for (int i = 0; i < AS_MANY_AS_FIT; i++) {
            headers.add("X-Xiaomi-", "");
        }
        Request request = request(headers);

        Fuzzed.within(
                MOST_BYTES,
                1,
                () -> assertThat(SignedHeaders.of(request, "/b").headers())
                        .containsOnly(new SignedHeader("x-xiaomi-", ""))
                        .hasSize(AS_MANY_AS_FIT));
    }

    @Test
    void valuesOfAHeaderComeInTheirOrderAndHeadersThatAreNotSignedAreLeftOut() {
        HttpFields headers = HttpFields.build()
                .add("X-Xiaomi-B", "2")
                .add("Date", "d")
                .add("x-xiaomi-b", "1")
                .add("Accept", "a");

        SignedRequest signed = SignedHeaders.of(request(headers), "/b");

        assertThat(signed.headers())
                .containsExactly(
                        new SignedHeader("x-xiaomi-b", "2"),
                        new SignedHeader("date", "d"),
                        new SignedHeader("x-xiaomi-b", "1"));
    }
}
