// SPDX-License-Identifier: Apache-2.0
/**
 * Bodies of answers, which are written piece by piece into whatever buffer the connection has room for. Start with
 * {@link org.talos.server.http.body.Body}.
 */
@NullMarked
package org.talos.server.http.body;

import org.jspecify.annotations.NullMarked;
