// SPDX-License-Identifier: Apache-2.0
/**
 * Targets of a fuzzer: each takes any bytes. It fails if the reader ends with an error that is not its own, allocates
 * more than the bytes allow, or does not read again what it has written.
 */
@NullMarked
package org.talos.server.fuzz;

import org.jspecify.annotations.NullMarked;
