// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TopicNamesTest {
    @Test
    void namesAreThoseOfAListInWhichStarsStandForAnything() {
        TopicNames names = TopicNames.parse("orders, billing-*,*_dead*");

        assertThat(names.has("orders")).isTrue();
        assertThat(names.has("orders2")).isFalse();
        assertThat(names.has("billing-eu")).isTrue();
        assertThat(names.has("xbilling-eu")).isFalse();
        assertThat(names.has("a_dead_b")).isTrue();
        assertThat(TopicNames.parse("").has("orders")).isFalse();
        assertThat(TopicNames.parse("*").has("orders")).isTrue();
    }
}
