// SPDX-License-Identifier: Apache-2.0
package org.talos.server.frontend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class FrontEndSettingsTest {
    private final FrontEndSettings settings =
            new FrontEndSettings("lines", Map.of("maxlength", "5", "port", "70000", "secret", "hidden"));

    @Test
    void caseOfAKeyDoesNotMatter() {
        assertThat(settings.number("maxLength", 1, 0, 10)).isEqualTo(5);
        assertThatCode(() -> settings.requireOnly("maxLength", "port", "secret"))
                .doesNotThrowAnyException();
    }

    @Test
    void missingKeyHasTheValueThatTheFrontEndNames() {
        assertThat(settings.text("host", "127.0.0.1")).isEqualTo("127.0.0.1");
        assertThat(settings.number("lines", 3, 0, 10)).isEqualTo(3);
    }

    @Test
    void whatIsWrongIsNamed() {
        assertThatThrownBy(() -> settings.requireOnly("maxLength", "port"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("unknown key frontEnds.lines.secret");
        assertThatThrownBy(() -> settings.number("port", 0, 0, 65_535))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("frontEnds.lines.port: 70000 (expected: 0..65535)");
        assertThatThrownBy(() -> settings.number("secret", 0, 0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("frontEnds.lines.secret: hidden (expected: 0..1)");
    }

    @Test
    void textHasNoValue() {
        assertThat(settings).hasToString("frontEnds.lines[maxlength, port, secret]");
    }
}
