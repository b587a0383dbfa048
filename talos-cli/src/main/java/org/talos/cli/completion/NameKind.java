// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.completion;

import java.util.Locale;

/** Names that only servers know, or the user's profiles. */
enum NameKind {
    TOPICS,
    GROUPS,
    USERS,
    PROFILES;

    /** As scripts write it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
