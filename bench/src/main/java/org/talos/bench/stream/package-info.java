// SPDX-License-Identifier: Apache-2.0
/** The stream of a client under measurement: a WebSocket that several experiments write to and read from. */
@NullMarked
package org.talos.bench.stream;

import org.jspecify.annotations.NullMarked;
