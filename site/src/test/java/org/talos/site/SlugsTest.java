// SPDX-License-Identifier: Apache-2.0
package org.talos.site;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class SlugsTest {
    private final Slugs slugs = new Slugs();

    @Test
    void headingsGetTheAnchorsOfGitHub() {
        assertThat(slugs.next("The SDK: bench run --sdk")).isEqualTo("the-sdk-bench-run---sdk");
        assertThat(slugs.next("One user's worst (bench hostile)")).isEqualTo("one-users-worst-bench-hostile");
        assertThat(slugs.next("Ärger & mehr_davon")).isEqualTo("ärger--mehr_davon");
    }

    @Test
    void sameHeadingAgainGetsANumber() {
        assertThat(slugs.next("Files")).isEqualTo("files");
        assertThat(slugs.next("Files")).isEqualTo("files-1");
        assertThat(slugs.next("Files")).isEqualTo("files-2");
    }
}
