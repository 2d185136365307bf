import java.io.FileWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

/**
 * Runs the class of a job of the java universe, and records in two files how it ended:
 * CondorJavaWrapper START END CLASS [ARGUMENT ...].
 *
 * START is made before the class is looked for. END is empty while it runs (and stays empty if it calls
 * System.exit). Then its first line is "normal", "abnormal" (main threw an exception) or "noexec" (the class cannot be
 * executed); after the last two, the second line has the names of the exception's classes, from Object down, and the
 * Java machine ends. After "normal" it ends with the last of its threads.
 *
 * Without arguments it prints what the startd publishes of the Java machine.
 *
 * CondorJavaWrapper.class is made of this file with: javac --release 8 -g:none CondorJavaWrapper.java
 */
public class CondorJavaWrapper {
    private static final String[] PUBLISHED = {"java.vendor", "java.version", "java.specification.version"};
    private static final String NORMAL = "normal";
    private static final int OWN_ARGUMENTS = 3;

    public static void main(String[] args) throws IOException {
        if (args.length == 0) {
            for (String name : PUBLISHED) {
                System.out.println(name + "=" + System.getProperty(name, ""));
            }
            return;
        }
        if (args.length < OWN_ARGUMENTS) {
            System.err.println("usage: CondorJavaWrapper START END CLASS [ARGUMENT ...]");
            System.exit(1);
        }
        new FileWriter(args[0]).close();
        PrintWriter end = new PrintWriter(new FileWriter(args[1]));
        String how = run(args[2], Arrays.copyOfRange(args, OWN_ARGUMENTS, args.length));
        end.println(how);
        end.close();
        if (!how.equals(NORMAL)) {
            System.exit(1);
        }
    }

    /** Returns the text for the END file. */
    private static String run(String name, String[] args) {
        Method entry;
        try {
            entry = Class.forName(name).getMethod("main", String[].class);
            entry.setAccessible(true); // of a class that is not public, which java takes, too
            entry.invoke(null, (Object) args);
        } catch (InvocationTargetException thrown) {
            return told("abnormal", thrown.getCause());
        } catch (Throwable thrown) {
            return told("noexec", thrown);
        }
        return NORMAL;
    }

    private static String told(String how, Throwable thrown) {
        thrown.printStackTrace();
        StringBuilder line = new StringBuilder();
        for (Class<?> one = thrown.getClass(); one != null; one = one.getSuperclass()) {
            line.insert(0, one.getName() + " ");
        }
        return how + System.lineSeparator() + line;
    }
}
