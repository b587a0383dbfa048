// SPDX-License-Identifier: Apache-2.0
/**
 * What a fuzzer feeds: each target takes any bytes and fails if what reads them ends with an error that is not its own,
 * allocates more than the bytes allow, or does not read again what it has written.
 */
@NullMarked
package org.talos.server.fuzz;

import org.jspecify.annotations.NullMarked;
