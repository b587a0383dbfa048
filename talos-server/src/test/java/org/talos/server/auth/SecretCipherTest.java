// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SecretCipherTest {
    private final SecretCipher cipher = new SecretCipher(new byte[SecretCipher.KEY_BYTES], new SecureRandom());

    @Test
    void secretComesBack() throws Exception {
        String encrypted = cipher.encrypt("AK1", "s3cret");

        assertThat(encrypted).startsWith("v1:").doesNotContain("s3cret");
        assertThat(cipher.decrypt("AK1", encrypted)).isEqualTo("s3cret");
    }

    @Test
    void equalSecretsLookDifferent() {
        assertThat(cipher.encrypt("AK1", "s3cret")).isNotEqualTo(cipher.encrypt("AK1", "s3cret"));
    }

    @Test
    void secretBelongsToItsKeyId() {
        String encrypted = cipher.encrypt("AK1", "s3cret");

        assertThatThrownBy(() -> cipher.decrypt("AK2", encrypted)).isInstanceOf(GeneralSecurityException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "v2:AAAA", "v1:", "v1:AAAA", "v1:%", "v1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})
    void otherTextsAreRefused(String encrypted) {
        assertThatThrownBy(() -> cipher.decrypt("AK1", encrypted)).isInstanceOf(GeneralSecurityException.class);
    }
}
