// SPDX-License-Identifier: Apache-2.0
/** The rows about topics, and about named sets of topics. Every call that reads or writes a row may block. */
@NullMarked
package org.talos.server.metadata.rows.topic;

import org.jspecify.annotations.NullMarked;
