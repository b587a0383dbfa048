// SPDX-License-Identifier: Apache-2.0
/** Ages of a log's messages, and how it copes with timestamps of a clock that was wrong. */
@NullMarked
package org.talos.server.log.time;

import org.jspecify.annotations.NullMarked;
