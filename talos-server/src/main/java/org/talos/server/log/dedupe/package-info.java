// SPDX-License-Identifier: Apache-2.0
/** What is remembered of puts to recognize those that are repeated, in little memory. */
@NullMarked
package org.talos.server.log.dedupe;

import org.jspecify.annotations.NullMarked;
