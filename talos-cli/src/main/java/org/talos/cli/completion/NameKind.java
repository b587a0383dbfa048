// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.completion;

import java.util.Locale;

/** Names that only servers know, or the user's profiles. */
enum NameKind {
    TOPICS,
    GROUPS,
    USERS,
    PROFILES;

    /** Returns the word that scripts write. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
