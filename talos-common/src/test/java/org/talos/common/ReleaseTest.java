// SPDX-License-Identifier: Apache-2.0
package org.talos.common;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReleaseTest {
    @Test
    void versionIsTheOneOfTheBuild() {
        assertThat(Release.version()).matches("\\d+\\.\\d+\\.\\d+(-\\w+)?");
    }
}
