// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.argument;

/**
 * A header of a message as users write it. Immutable.
 *
 * @param name not empty
 */
public record Header(String name, String value) {}
