// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;

/** A picture of what a browser shows, small enough for a repository: of few colors. Immutable. */
public final class Picture {
    private static final int COLOURS = 112; // enough for texts and lines, at half of the size
    private static final int RGB = 0xffffff;

    private final BufferedImage image;

    private Picture(BufferedImage image) {
        this.image = image;
    }

    /** Hides what is not of the page, from the next page on. */
    public static void prepare(ChromeDriver driver) {
        driver.executeCdpCommand("Emulation.setScrollbarsHidden", Map.of("hidden", true));
    }

    /** Takes one of what is seen now. */
    public static Picture take(ChromeDriver driver) throws IOException {
        return new Picture(ImageIO.read(new ByteArrayInputStream(driver.getScreenshotAs(OutputType.BYTES))));
    }

    /** Writes it as PNG, in place of the existing file. */
    public void write(Path file) throws IOException {
        Files.deleteIfExists(file);
        ImageWriter writer = ImageIO.getImageWritersByFormatName("png").next();
        try (ImageOutputStream out = ImageIO.createImageOutputStream(file.toFile())) {
            ImageWriteParam param = writer.getDefaultWriteParam();
            param.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
            param.setCompressionQuality(0);
            writer.setOutput(out);
            writer.write(null, new IIOImage(withFewColours(), null, null), param);
        } finally {
            writer.dispose();
        }
    }

    /** The same with the colors that it has most, each of the others as the nearest of them. */
    private BufferedImage withFewColours() {
        int[] most = mostFrequent();
        byte[][] parts = new byte[3][most.length];
        for (int index = 0; index < most.length; index++) {
            for (int part = 0; part < 3; part++) {
                parts[part][index] = (byte) (most[index] >> (16 - 8 * part));
            }
        }
        IndexColorModel model = new IndexColorModel(8, most.length, parts[0], parts[1], parts[2]);
        BufferedImage small =
                new BufferedImage(image.getWidth(), image.getHeight(), BufferedImage.TYPE_BYTE_INDEXED, model);
        Map<Integer, Integer> nearest = new HashMap<>();
        for (int y = 0; y < image.getHeight(); y++) {
            for (int x = 0; x < image.getWidth(); x++) {
                int index = nearest.computeIfAbsent(image.getRGB(x, y) & RGB, color -> nearest(most, color));
                small.getRaster().setSample(x, y, 0, index);
            }
        }
        return small;
    }

    private int[] mostFrequent() {
        Map<Integer, Integer> counts = new HashMap<>();
        for (int y = 0; y < image.getHeight(); y++) {
            for (int x = 0; x < image.getWidth(); x++) {
                counts.merge(image.getRGB(x, y) & RGB, 1, Integer::sum);
            }
        }
        return counts.entrySet().stream()
                .sorted(Map.Entry.<Integer, Integer>comparingByValue().reversed())
                .limit(COLOURS)
                .mapToInt(Map.Entry::getKey)
                .toArray();
    }

    private static int nearest(int[] colors, int wanted) {
        int best = 0;
        for (int index = 1; index < colors.length; index++) {
            if (distance(colors[index], wanted) < distance(colors[best], wanted)) {
                best = index;
            }
        }
        return best;
    }

    private static int distance(int one, int other) {
        int sum = 0;
        for (int shift = 0; shift <= 16; shift += 8) {
            int difference = ((one >> shift) & 0xff) - ((other >> shift) & 0xff);
            sum += difference * difference;
        }
        return sum;
    }
}
