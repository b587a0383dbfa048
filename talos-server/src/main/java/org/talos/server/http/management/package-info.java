// SPDX-License-Identifier: Apache-2.0
/** The port for operators: metrics, health, configuration. */
@NullMarked
package org.talos.server.http.management;

import org.jspecify.annotations.NullMarked;
