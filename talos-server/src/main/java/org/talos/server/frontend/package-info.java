// SPDX-License-Identifier: Apache-2.0
/**
 * What a front end is: a unit that serves clients by one protocol, with the operations that all front ends share. Entry
 * type: {@link org.talos.server.frontend.FrontEnd}.
 */
@NullMarked
package org.talos.server.frontend;

import org.jspecify.annotations.NullMarked;
