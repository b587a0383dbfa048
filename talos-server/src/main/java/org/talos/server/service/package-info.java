// SPDX-License-Identifier: Apache-2.0
/**
 * Assembles the services of one server. {@link org.talos.server.service.TalosServices} is the whole,
 * {@link org.talos.server.service.Subjects} builds the operations and calls of each subject, and
 * {@link org.talos.server.service.Pools} builds their pools. Front ends get
 * {@link org.talos.server.service.Operations}.
 */
@NullMarked
package org.talos.server.service;

import org.jspecify.annotations.NullMarked;
