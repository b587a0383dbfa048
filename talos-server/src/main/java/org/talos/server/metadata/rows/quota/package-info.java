// SPDX-License-Identifier: Apache-2.0
/** The rows of quotas, which are kept in memory too. Every call that writes a row may block. */
@NullMarked
package org.talos.server.metadata.rows.quota;

import org.jspecify.annotations.NullMarked;
