// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.junit.jupiter.api.Test;
import org.talos.server.http.rest.json.ProblemException;

/** Which headers a route may read. */
class RequestHeadersTest {
    private final RequestHeaders headers = new RequestHeaders(HttpFields.build()
            .add("Talos-Key", "k")
            .add("Cookie", "c")
            .add("X-Forwarded-For", "a")
            .add("Accept", "text/plain;q=0.5, application/json")
            .add("Content-Type", "text/plain")
            .add("Idempotency-Key", "1")
            .add("Idempotency-Key", "2"));

    @Test
    void routeThatReadsAHeaderWhichNoSignatureCoversFails() {
        assertThatThrownBy(() -> headers.first("X-Forwarded-For"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("X-Forwarded-For");
        assertThatThrownBy(() -> headers.contains("Cookie")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> headers.single("If-Match", "")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> headers.preferences("Prefer")).isInstanceOf(IllegalStateException.class);
        assertThat(headers.covered())
                .extracting(HttpField::getName)
                .containsExactly("Talos-Key", "Content-Type", "Idempotency-Key", "Idempotency-Key");
    }

    @Test
    void coveredHeadersAndThoseOfTheAnswersFormAreRead() {
        assertThat(headers.first("talos-key")).isEqualTo("k");
        assertThat(headers.first("Talos-Tag")).isNull();
        assertThat(headers.contains("Last-Event-ID")).isFalse();
        assertThat(headers.single("Content-Type", "")).isEqualTo("text/plain");
        assertThat(headers.preferences("Accept")).containsExactly("application/json", "text/plain");
        assertThatThrownBy(() -> headers.single("Idempotency-Key", ""))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("more than once");
    }
}
